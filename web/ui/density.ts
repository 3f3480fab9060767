// Keeps the density of the lists in this browser. `compact` shows more rows on the screen than `comfortable`.

/** The density of rows and panels: how close together the console shows them. */
export type Density = 'comfortable' | 'compact'

const STORAGE_KEY = 'malipo.density'

/** Returns the density that the user chose in this browser. Without such a choice, returns `comfortable`. */
export function currentDensity(): Density {
  return localStorage.getItem(STORAGE_KEY) === 'compact' ? 'compact' : 'comfortable'
}

/** Stores the density in this browser and applies it to the page. */
export function chooseDensity(density: Density): void {
  localStorage.setItem(STORAGE_KEY, density)
  applyDensity(density)
}

/** Sets the density on the document, for which tokens.css has the sizes. */
export function applyDensity(density: Density): void {
  document.documentElement.dataset.density = density
}
