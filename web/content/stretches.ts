/** [fromMs, toMs) */
type Stretch = [number, number]

/** "1:10" or "1:02:03", in milliseconds; undefined where it is no time. */
function timeIn(text: string): number | undefined {
  const parts = /^(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)$/.exec(text.trim())
  if (!parts) return undefined
  const [, hours = '0', minutes = '0', seconds = '0'] = parts
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
}

/** "0:42 to 1:10, 2:00 to 2:05", as people write it; undefined where something in it is no stretch, or nothing is there. */
export function stretchesIn(text: string): Stretch[] | undefined {
  const found = text
    .split(/[,;\n]/)
    .filter((part) => part.trim() !== '')
    .map((part): Stretch | undefined => {
      const [from, to, ...more] = part.split(/\s*(?:[-–—]|\bto\b|\bbis\b)\s*/i).map(timeIn)
      return from !== undefined && to !== undefined && more.length === 0 && from < to ? [from, to] : undefined
    })
  const whole = found.filter((one) => one !== undefined)
  return whole.length > 0 && whole.length === found.length ? whole : undefined
}

/** Times are typed in whole seconds, and few videos are that long: what ends in the last of them goes on to the very end. */
export function toTheEnd(stretches: readonly Stretch[], lengthMs: number | null): Stretch[] {
  return stretches.map(([from, to]) => [
    from,
    lengthMs !== null && lengthMs - to < 1_000 ? Math.max(to, lengthMs) : to,
  ])
}

/** Milliseconds of a file, as this browser reads it; null where it cannot. */
export function lengthOfFile(file: File): Promise<number | null> {
  const video = document.createElement('video')
  const address = URL.createObjectURL(file)
  const read = new Promise<number | null>((resolve) => {
    video.addEventListener('loadedmetadata', () => {
      const ms = Math.round(video.duration * 1_000)
      resolve(Number.isFinite(ms) ? ms : null)
    })
    video.addEventListener('error', () => resolve(null))
  })
  video.preload = 'metadata'
  video.src = address
  return read.finally(() => URL.revokeObjectURL(address))
}
