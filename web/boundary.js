import { element } from './ui.js';
export const boundary = { key: 'boundary', title: 'boundary', create: () => ({ root: element('p', {}, 'soon'), show() {}, hide() {}, state: () => ({}), restore() {}, canvases: () => [] }) };
