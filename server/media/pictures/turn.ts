import type { Stream } from 'node-av/lib'

/** Filters that show a stored picture upright, the same that ffmpeg takes of itself. */
export function turnOf(av: typeof import('node-av/constants'), { codecpar }: Stream): string[] {
  const bytes = codecpar.getCodedSideData(av.AV_PKT_DATA_DISPLAYMATRIX)
  if (!bytes || bytes.length < 36) return []
  const matrix = Array.from({ length: 9 }, (_, index) => bytes.readInt32LE(4 * index))
  const [a = 0, b = 0, , c = 0, d = 0] = matrix
  const angle = Math.round((Math.atan2(b / Math.hypot(b, d), a / Math.hypot(a, c)) * 180) / Math.PI)
  switch ((angle + 360) % 360) {
    case 0:
      return d < 0 ? ['vflip'] : []
    case 90:
      return [c > 0 ? 'transpose=cclock_flip' : 'transpose=clock']
    case 180:
      return [...(a < 0 ? ['hflip'] : []), ...(d < 0 ? ['vflip'] : [])]
    case 270:
      return [c < 0 ? 'transpose=clock_flip' : 'transpose=cclock']
    default:
      return [`rotate=${angle}*PI/180`]
  }
}

/** Whether such filters make the height the width. */
export const isOnItsSide = (filters: string[]) => filters.some((filter) => filter.startsWith('transpose'))
