import path from 'node:path'
import type { FileInput } from './job.ts'
import { drawerCodes } from './redraw.ts'
import { pickTranscoder } from './transcoder.ts'

/** Draws one picture: `in` of the folder becomes `out`, a WebP or a JPEG. See redraw.ts. */
const [folder = '', format, filter, out = ''] = process.argv.slice(2)
const encoding = out.endsWith('.webp')
  ? ({ encoder: 'libwebp', options: { quality: '85', preset: 'picture' } } as const)
  : ({ encoder: 'mjpeg', options: { flags: '+qscale', global_quality: String(2 * 118) } } as const)
const engine = await pickTranscoder().catch(() => process.exit(drawerCodes.noEngine))
const input: FileInput = { file: path.join(folder, 'in'), format: format as NonNullable<FileInput['format']> }
await engine
  .run({
    input,
    video: `[0:v]${filter},trim=end_frame=1[v]`,
    outputs: [
      {
        file: path.join(folder, out),
        format: 'image2',
        options: { update: '1' },
        streams: [{ label: 'v', ...encoding }],
      },
    ],
  })
  .catch(() => process.exit(drawerCodes.damaged))
process.exit(0)
