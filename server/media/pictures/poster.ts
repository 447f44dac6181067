import { drawingOf, runDrawer } from './redraw.ts'

/** Both as JPEG: 1280 and 640 pixels wide at most. */
export type DrawnPoster = { poster: Buffer; posterSmall: Buffer }

const posterSide = 1280
const smallWidth = 640
const quality = 4

/** A picture that somebody sent, as a poster: upright, all of it, on white where it lets something through. Throws as `redraw` does. */
export async function posterOfPicture(source: Buffer, maxPixels: number): Promise<DrawnPoster> {
  const box = { width: posterSide, height: posterSide }
  const { format, turned, size } = drawingOf({ source, box, how: 'fit', maxPixels })
  const ground = 'format=rgba,split[a][b];[a]lutrgb=r=255:g=255:b=255:a=255[c];[c][b]overlay=format=rgb'
  const scale = `scale=${size.width}:${size.height}:flags=lanczos`
  const filter = [...turned, scale, ground, 'format=yuvj420p,setsar=1'].join(',')
  return withSmall(await runDrawer({ source, format, filter, out: 'out.jpg', quality }))
}

/**
 * The frame that is seen at a moment. `piece`: the beginning of a rendition and the segment that holds the moment; `ms`: how far behind
 * the beginning of the segment.
 */
export async function posterOfFrame(piece: Buffer, ms: number): Promise<DrawnPoster> {
  const end = (ms + 1) / 1_000
  const filter = `setpts=PTS-STARTPTS,trim=end=${end.toFixed(3)},${fit(posterSide)}`
  return withSmall(
    await runDrawer({ source: piece, format: 'mov', filter, out: 'out.jpg', quality, isLast: true }),
  )
}

async function withSmall(poster: Buffer): Promise<DrawnPoster> {
  const drawing = {
    source: poster,
    format: 'jpeg_pipe',
    filter: fit(smallWidth),
    out: 'out.jpg',
    quality,
  } as const
  return { poster, posterSmall: await runDrawer(drawing) }
}

const fit = (width: number) => `scale=w='min(${width},iw)':h=-2:flags=bicubic,format=yuvj420p,setsar=1`
