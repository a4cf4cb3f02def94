// What a worker computes for the simplex and for the phase diagram.

const SIMPLEX_FLOAT = 4;
const SIMPLEX_DOUBLE = 8;

// use(density) with a density of the library that is there for that long. `panel`: an explorer_panel.
export function withSimplexDensity(kelvin, { density, panel }, use) {
  return kelvin.with((take) => {
    const made = kelvin.check(kelvin.c.explorer_simplex_create(take.text(density), panel));
    try {
      return use(made, take);
    } finally {
      kelvin.c.explorer_simplex_destroy(made);
    }
  });
}

export const simplexJobs = {
  simplexRaster: (kelvin, { columns, rows, margin, ...of }) => withSimplexDensity(kelvin, of, (density, take) => {
    const out = take.room(columns * rows * SIMPLEX_FLOAT);
    kelvin.c.explorer_simplex_raster(density, out, columns, rows, margin);
    return kelvin.floats(out, columns * rows).slice();
  }),

  // How many of `n` even starts, from number `first` on, end at a wrong class.
  simplexWrong: (kelvin, { first, n, ...of }) => withSimplexDensity(kelvin, of,
    (density) => kelvin.c.explorer_simplex_ended_wrong(density, 0, first, n)),

  simplexMass: (kelvin, of) => withSimplexDensity(kelvin, of, (density) => ({
    mass: kelvin.c.explorer_simplex_mass(density),
    finite: kelvin.c.explorer_simplex_exponent(density) > 0,
    ofLogits: Boolean(kelvin.c.explorer_simplex_of_logits(density)),
  })),

  phaseBoundary: (kelvin, { classes, most }) => kelvin.with((take) => {
    const out = take.room(2 * most * SIMPLEX_DOUBLE);
    const n = kelvin.c.explorer_phase_boundary(out, classes, most);
    return kelvin.doubles(out, 2 * n).slice();
  }),

  phaseRaster: (kelvin, { classes, columns, rows }) => kelvin.with((take) => {
    const out = take.room(columns * rows * SIMPLEX_FLOAT);
    kelvin.check(kelvin.c.explorer_phase_raster(out, classes, columns, rows));
    return kelvin.floats(out, columns * rows).slice();
  }),
};
