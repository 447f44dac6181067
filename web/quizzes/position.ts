/** A moment of a video as people write it: 1:05, 1:02:45, or 0:07.5. */
export function formatPosition(ms: number): string {
  const tenths = Math.round(ms / 100)
  const seconds = Math.floor(tenths / 10)
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes, remaining] = [
    Math.floor(seconds / 3_600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ]
  const clock = hours > 0 ? `${hours}:${two(minutes)}:${two(remaining)}` : `${minutes}:${two(remaining)}`
  return tenths % 10 === 0 ? clock : `${clock}.${tenths % 10}`
}

/** Milliseconds of what was typed: 65, 1:05, 1:02:45, 0:07.5; null for anything else. */
export function parsePosition(text: string): number | null {
  const found = /^(?:(?:(\d{1,2}):)?(\d{1,3}):)?(\d{1,5}(?:[.,]\d{1,3})?)$/.exec(text.trim())
  if (!found) return null
  const [, hours = '0', minutes = '0', seconds = '0'] = found
  const isClock = found[2] !== undefined
  const secondsPart = Number(seconds.replace(',', '.'))
  if ((isClock && secondsPart >= 60) || (found[1] !== undefined && Number(minutes) >= 60)) return null
  return Math.round((Number(hours) * 3_600 + Number(minutes) * 60 + secondsPart) * 1_000)
}
