// Makes a small PNG of a picture file in the browser. So a photo of 5 MB becomes a logo of at most 20 KB before the upload.

/** The largest PNG that the API accepts, in bytes. */
const BYTES_MAX = 20_480
/**
 * The sizes in pixels that `shrinkLogo` tries, from the largest to the smallest. The pages of payers show a logo at 80 x 48
 * pixels at most.
 */
const WIDTHS = [320, 240, 160, 120, 80, 60]
/**
 * The largest file in bytes that `shrinkLogo` accepts, because a browser on a cheap phone may fail to decode a larger file.
 */
const FILE_MAX = 15 * 1024 * 1024

/**
 * `no_picture`: the browser cannot decode the file. `too_big`: the file exceeds FILE_MAX, or its smallest PNG exceeds
 * BYTES_MAX.
 */
export type LogoFileProblem = 'no_picture' | 'too_big'

/**
 * Returns the picture as a PNG in base64, or the reason why the browser cannot make a logo of the file. The browser draws an
 * SVG without running its scripts.
 */
export async function shrinkLogo(file: File): Promise<{ png: string } | LogoFileProblem> {
  if (file.size > FILE_MAX) return 'too_big'
  const picture = await loadPicture(file)
  if (picture === null) return 'no_picture'
  for (const width of WIDTHS) {
    const png = await drawPng(picture, width)
    if (png !== null && png.size <= BYTES_MAX) return { png: await base64Of(png) }
  }
  return 'too_big'
}

async function loadPicture(file: File): Promise<HTMLImageElement | null> {
  const url = URL.createObjectURL(file)
  try {
    const picture = new Image()
    picture.src = url
    await picture.decode()
    return picture.naturalWidth > 0 && picture.naturalHeight > 0 ? picture : null
  } catch {
    return null
  } finally {
    URL.revokeObjectURL(url)
  }
}

/** Draws the picture at most `side` pixels wide and high. Null means that the browser could not make the PNG. */
function drawPng(picture: HTMLImageElement, side: number): Promise<Blob | null> {
  const scale = Math.min(1, side / picture.naturalWidth, side / picture.naturalHeight)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.naturalWidth * scale))
  canvas.height = Math.max(1, Math.round(picture.naturalHeight * scale))
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return btoa(String.fromCharCode(...bytes))
}
