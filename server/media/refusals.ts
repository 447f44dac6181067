import type { FileRefusal } from '#contract/videos.ts'

/** Why a file is refused; `contract/video-failures.ts` has the sentence for each. */
export const refusalCodes = [
  'not_a_video',
  'unknown_format',
  'no_video_track',
  'empty',
  'too_long',
  'too_large_picture',
  'too_much_picture',
  'unsupported_codec',
  'mpeg4_part_2',
  'mpeg1',
  'mpeg2',
  'dv',
  'wmv',
  'flv',
  'encrypted',
  'avi',
  'refers_elsewhere',
  'cut_off',
  'index_missing',
  'damaged',
  'unreadable',
  'too_costly',
] as const satisfies readonly FileRefusal[]

export type RefusalCode = (typeof refusalCodes)[number]

/** The file is no video that we take, and trying again would not help. */
export class NotAVideoError extends Error {
  override name = 'NotAVideoError'
  readonly code: RefusalCode

  constructor(code: RefusalCode, options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}
