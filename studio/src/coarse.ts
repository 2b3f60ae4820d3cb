// A coarser net over the vertices of a mesh: vertices that lie close together are drawn as one of them. What was closed
// stays closed, because every vertex goes to one place.

/** About this share of the vertices remains. */
const SHARE = 0.2;
/** Meshes of fewer triangles are left alone: there is nothing to gain. */
const FEW = 200;

/** Cell of a grid that each vertex lies in, numbered as they come; how many there are. */
function cellsOf(p: ArrayLike<number>, low: number[], cell: number): { of: Uint32Array; count: number } {
  const n = p.length / 3;
  const of = new Uint32Array(n);
  const cells = new Map<number, number>();
  for (let v = 0; v < n; v++) {
    const [i, j, k] = [0, 1, 2].map((a) => Math.floor((p[3 * v + a] - low[a]) / cell));
    const name = i + 65536 * (j + 65536 * k);
    let c = cells.get(name);
    if (c === undefined) cells.set(name, (c = cells.size));
    of[v] = c;
  }
  return { of, count: cells.size };
}

/** Cells that hold about one in 1 / SHARE of the vertices that are used. */
function fittingCells(p: ArrayLike<number>, used: number): { of: Uint32Array; count: number } {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < p.length; i++) {
    low[i % 3] = Math.min(low[i % 3], p[i]);
    high[i % 3] = Math.max(high[i % 3], p[i]);
  }
  const size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  // Cells of a surface: their number goes with the square of their size.
  let cell = size / Math.sqrt(used);
  let cells = cellsOf(p, low, cell);
  for (let i = 0; i < 6 && Math.abs(cells.count / (SHARE * used) - 1) > 0.15; i++) {
    cell = Math.max(cell * Math.sqrt(cells.count / (SHARE * used)), size / 60000);
    cells = cellsOf(p, low, cell);
  }
  return cells;
}

/** Of each vertex the one that is drawn in its place: that of its cell which is nearest to their middle. */
function stands(p: ArrayLike<number>, { of, count }: { of: Uint32Array; count: number }): Uint32Array {
  const sums = new Float64Array(4 * count);
  of.forEach((c, v) => {
    for (let k = 0; k < 3; k++) sums[4 * c + k] += p[3 * v + k];
    sums[4 * c + 3]++;
  });
  const best = new Uint32Array(count);
  const nearest = new Float64Array(count).fill(Infinity);
  of.forEach((c, v) => {
    const m = sums[4 * c + 3];
    const d = Math.hypot(p[3 * v] - sums[4 * c] / m, p[3 * v + 1] - sums[4 * c + 1] / m, p[3 * v + 2] - sums[4 * c + 2] / m);
    if (d < nearest[c]) [nearest[c], best[c]] = [d, v];
  });
  return of.map((c) => best[c]);
}

/** Triangles of the coarser net. */
export function coarseIndex(positions: ArrayLike<number>, triangles: ArrayLike<number>): Uint32Array {
  const all = Uint32Array.from(triangles);
  if (all.length < 3 * FEW) return all;
  const to = stands(positions, fittingCells(positions, positions.length / 3));
  const out = new Uint32Array(all.length);
  let n = 0;
  for (let i = 0; i < all.length; i += 3) {
    const [a, b, c] = [to[all[i]], to[all[i + 1]], to[all[i + 2]]];
    if (a === b || b === c || c === a) continue;
    out[n++] = a;
    out[n++] = b;
    out[n++] = c;
  }
  return out.slice(0, n);
}
