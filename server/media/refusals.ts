import type { FileRefusal } from '#contract/videos/videos.ts'

/** The file is no video that we take, and trying again would not help. */
export class NotAVideoError extends Error {
  override name = 'NotAVideoError'
  readonly code: FileRefusal

  constructor(code: FileRefusal, options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}
