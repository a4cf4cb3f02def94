import { element } from './ui.js';
export const simplex = { key: 'simplex', title: 'simplex', create: () => ({ root: element('p', {}, 'soon'), show() {}, hide() {}, state: () => ({}), restore() {}, canvases: () => [] }) };
