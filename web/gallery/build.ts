// Builds the gallery: one page with the basic components of the consoles in their states. Only scripts/gallery.ts and the test
// of the gallery use this file. `npm run build` does not build the gallery, so that no server offers the gallery.

import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

/** Builds the gallery into the folder `outDir`. */
export async function buildGallery(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    base: '/',
    logLevel: 'warn',
    plugins: [react()],
    build: { outDir, emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 2_000 },
  })
}
