import { element } from './ui.js';
export const run = { key: 'run', title: 'run', create: () => ({ root: element('p', {}, 'soon'), show() {}, hide() {}, state: () => ({}), restore() {}, canvases: () => [] }) };
