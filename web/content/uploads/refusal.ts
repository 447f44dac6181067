/** Why a file would be refused, as far as its beginning tells: then nothing of it need be sent. Null where only the server can tell. */
export async function refusalOf(file: File): Promise<string | null> {
  if (file.size === 0) return 'This file is empty.'
  const { headBytes, lookAtHead } = await import('#contract/videos/video-head.ts')
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer())
  const found = lookAtHead({ size: file.size, read: (at, length) => head.subarray(at, at + length) })
  if (!('refusal' in found)) return null
  return (await import('#contract/videos/video-failures.ts')).videoFailures[found.refusal]
}
