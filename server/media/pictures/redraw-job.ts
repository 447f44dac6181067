import path from 'node:path'
import type { JobStream } from '../job.ts'
import type { RedrawTask } from '../task.ts'
import { transcoderOf } from '../transcoder.ts'

/** Draws one picture anew: a WebP or a JPEG. See redraw.ts. */
export async function drawPicture({
  source,
  outDir,
  engine,
  format,
  filter,
  out,
  quality = 2,
  isLast,
}: RedrawTask): Promise<void> {
  const encoding: Pick<JobStream, 'encoder' | 'options'> = out.endsWith('.webp')
    ? { encoder: 'libwebp', options: { quality: '85', preset: 'picture' } }
    : { encoder: 'mjpeg', options: { flags: '+qscale', global_quality: String(quality * 118) } }
  await transcoderOf(engine).run({
    input: { file: source, format },
    // Where there are several, each takes the place of the one before.
    video: `[0:v]${filter}${isLast ? '' : ',trim=end_frame=1'}[v]`,
    outputs: [
      {
        file: path.join(outDir, out),
        format: 'image2',
        options: { update: '1' },
        streams: [{ label: 'v', ...encoding }],
      },
    ],
  })
}
