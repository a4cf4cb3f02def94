// Colours between colours, evenly for the eye: through OKLab (Ottosson, 2020).

const TO_CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005]];
const TO_LAB = [[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766]];
const FROM_LAB = [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]];
const FROM_CONES = [[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701]];

const labTimes = (matrix, v) => matrix.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
const srgbToLinear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const linearToSrgb = (c) => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

function toLab(rgb255) {
  return labTimes(TO_LAB, labTimes(TO_CONES, rgb255.map((c) => srgbToLinear(c / 255))).map(Math.cbrt));
}

function fromLab(lab) {
  const linear = labTimes(FROM_CONES, labTimes(FROM_LAB, lab).map((c) => c ** 3));
  return linear.map((c) => Math.round(255 * linearToSrgb(Math.min(1, Math.max(0, c)))));
}

// The colour at `share` between two, each [red, green, blue].
export function blendColours(a, b, share) {
  const [from, to] = [toLab(a), toLab(b)];
  return fromLab(from.map((v, i) => v + (to[i] - v) * share));
}

// 256 colours through all of `stops`, which stand at equal distances: (256, 3) bytes.
export function rampTable(stops) {
  const labs = stops.map(toLab);
  const table = new Uint8ClampedArray(3 * 256);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(at));
    table.set(fromLab(labs[k].map((v, j) => v + (labs[k + 1][j] - v) * (at - k))), 3 * i);
  }
  return table;
}

// Values (rows, columns), the lowest row first, as a canvas: colour 0 of the table at -most and below, the last one at
// `most` and above.
export function colourRaster(values, columns, rows, table, most) {
  const canvas = document.createElement('canvas');
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext('2d');
  const image = context.createImageData(columns, rows);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const value = values[row * columns + column];
      const share = Math.min(1, Math.max(0, (value / most + 1) / 2));
      const from = 3 * Math.round(255 * (share || 0));
      image.data.set([table[from], table[from + 1], table[from + 2], 255], 4 * ((rows - 1 - row) * columns + column));
    }
  context.putImageData(image, 0, 0);
  return canvas;
}
