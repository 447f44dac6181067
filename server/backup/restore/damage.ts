const code = 'backup_damaged'

/** The backup is not as it was made, or cannot be put together again; every other error says nothing about it. */
export const damageOf = (sentence: string, cause?: unknown): Error =>
  Object.assign(new Error(sentence, { cause }), { code })

/** `contents`: hashes of those that are damaged, where the files were read. */
export const isDamage = (error: unknown): error is Error & { contents?: string[] } =>
  error instanceof Error && 'code' in error && error.code === code
