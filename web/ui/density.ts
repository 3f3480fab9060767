// Keeps the density of the lists in this browser: comfortable, or compact for more rows on the screen.

/** How close together the console shows rows and panels. */
export type Density = 'comfortable' | 'compact'

const STORAGE_KEY = 'malipo.density'

/** Returns the density that the reader chose before, or comfortable. */
export function currentDensity(): Density {
  return localStorage.getItem(STORAGE_KEY) === 'compact' ? 'compact' : 'comfortable'
}

/** Stores the density and applies it to the page. */
export function chooseDensity(density: Density): void {
  localStorage.setItem(STORAGE_KEY, density)
  applyDensity(density)
}

/** Applies the density: tokens.css has its sizes. */
export function applyDensity(density: Density): void {
  document.documentElement.dataset.density = density
}
