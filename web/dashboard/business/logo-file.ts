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

/** The greatest ratio of the longer side to the shorter one that the API accepts. */
const RATIO_MAX = 8
/** A pixel whose red, green and blue all reach this value looks white on a page. */
const WHITE = 240

/**
 * `no_picture`: the browser cannot decode the file. `too_thin`: the sides exceed RATIO_MAX. `not_visible`: the picture has
 * nothing that is visible on white. `too_big`: the file exceeds FILE_MAX, or its smallest PNG exceeds BYTES_MAX.
 */
export type LogoFileProblem = 'no_picture' | 'too_thin' | 'not_visible' | 'too_big'

/**
 * Returns the picture as a PNG in base64, or the reason why the browser cannot make a logo of the file. The browser draws an
 * SVG without running its scripts.
 */
export async function shrinkLogo(file: File): Promise<{ png: string } | LogoFileProblem> {
  if (file.size > FILE_MAX) return 'too_big'
  const picture = await loadPicture(file)
  if (picture === null) return 'no_picture'
  const { naturalWidth: wide, naturalHeight: high } = picture
  if (Math.max(wide, high) > RATIO_MAX * Math.min(wide, high)) return 'too_thin'
  if (!isVisible(picture)) return 'not_visible'
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

/** Returns true if the picture, drawn on white, has a pixel that does not look white. */
function isVisible(picture: HTMLImageElement): boolean {
  const pen = drawOn(picture, 160, '#fff').getContext('2d')
  const { data = [] } = pen?.getImageData(0, 0, pen.canvas.width, pen.canvas.height) ?? {}
  return data.some((value) => value < WHITE)
}

/** Draws the picture at most `side` pixels wide and high. Null means that the browser could not make the PNG. */
function drawPng(picture: HTMLImageElement, side: number): Promise<Blob | null> {
  const canvas = drawOn(picture, side, null)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}

/** Returns a canvas with the picture, at most `side` pixels wide and high. Null as the ground means a transparent ground. */
function drawOn(picture: HTMLImageElement, side: number, ground: string | null): HTMLCanvasElement {
  const scale = Math.min(1, side / picture.naturalWidth, side / picture.naturalHeight)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.naturalWidth * scale))
  canvas.height = Math.max(1, Math.round(picture.naturalHeight * scale))
  const pen = canvas.getContext('2d')
  if (pen !== null && ground !== null) {
    pen.fillStyle = ground
    pen.fillRect(0, 0, canvas.width, canvas.height)
  }
  pen?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  return canvas
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return btoa(String.fromCharCode(...bytes))
}
