import { element } from './ui.js';
export const slices = { key: 'slices', title: 'slices', create: () => ({ root: element('p', {}, 'soon'), show() {}, hide() {}, state: () => ({}), restore() {}, canvases: () => [] }) };
