import { pictureLimits } from '#contract/directory/picture-limits.ts'

/** What of a picture is taken: the middle in shares of what can be moved (0 to 1), and how much it is enlarged. */
export type Crop = { x: number; y: number; zoom: number }

export const wholePicture: Crop = { x: 0.5, y: 0.5, zoom: 1 }
export const mostZoom = 4

/** Larger files are refused before they are read. */
const mostBytes = 25_000_000
/** Sent twice as large as it is kept; the server makes the rest. */
const scale = 2

/** The picture of a file, upright; throws a sentence for people. */
export async function readPicture(file: File): Promise<ImageBitmap> {
  if (/svg/i.test(file.type) || /\.svgz?$/i.test(file.name))
    throw new Error(
      'SVG files are not taken, because they can hold programs. Please save the picture as PNG.',
    )
  if (file.size > mostBytes) throw new Error('This file is larger than 25 MB. Please choose a smaller one.')
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => undefined)
  if (!bitmap) throw new Error('This file is no picture that can be read. PNG, JPEG and WebP are taken.')
  return bitmap
}

/** Draws a square of the picture into the whole canvas. */
export function drawSquare(canvas: HTMLCanvasElement, bitmap: ImageBitmap, { x, y, zoom }: Crop): void {
  const side = Math.min(bitmap.width, bitmap.height) / zoom
  const from = { left: (bitmap.width - side) * x, top: (bitmap.height - side) * y }
  const context = contextOf(canvas)
  context.clearRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, from.left, from.top, side, side, 0, 0, canvas.width, canvas.height)
}

/** The crop after the picture was pulled by so many shares of the canvas. */
export function pulled(bitmap: ImageBitmap, crop: Crop, by: { x: number; y: number }): Crop {
  const side = Math.min(bitmap.width, bitmap.height) / crop.zoom
  const along = (share: number, length: number, pull: number) =>
    length - side < 1 ? share : clamp(share - (pull * side) / (length - side))
  return { ...crop, x: along(crop.x, bitmap.width, by.x), y: along(crop.y, bitmap.height, by.y) }
}

function clamp(share: number): number {
  return Math.min(1, Math.max(0, share))
}

/** Draws all of the picture; the canvas takes its shape, within the box of a logo. */
export function drawLogo(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  const { width, height } = pictureLimits.logo
  const share = Math.min(1, (width * scale) / bitmap.width, (height * scale) / bitmap.height)
  canvas.width = Math.max(1, Math.round(bitmap.width * share))
  canvas.height = Math.max(1, Math.round(bitmap.height * share))
  contextOf(canvas).drawImage(bitmap, 0, 0, canvas.width, canvas.height)
}

export const avatarSide = pictureLimits.avatar.width * scale

/** The file that is sent, in base64. */
export async function encoded(canvas: HTMLCanvasElement): Promise<string> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new Error('This browser could not save the picture.')
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let binary = ''
  // In pieces, as a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(binary)
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw pictures.')
  context.imageSmoothingQuality = 'high'
  return context
}
