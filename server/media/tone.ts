import type { Probe } from './probe.ts'

/** The stored curve as FFmpeg calls it, and the brightness that counts as white, in candelas per square metre. */
const curves = { pq: { name: 'smpte2084', white: 203 }, hlg: { name: 'arib-std-b67', white: 203 } }

/**
 * Filters that bring the wide range of brightness and colour, as phones film it, to what usual screens show. They compute with
 * floating numbers: the picture should have its final size before.
 */
export function toneMap(hdr: NonNullable<Probe['hdr']>): string[] {
  const { name, white } = curves[hdr]
  return [
    `zscale=tin=${name}:pin=bt2020:min=bt2020nc:t=linear:npl=${white}`,
    'format=gbrpf32le',
    'zscale=p=bt709',
    'tonemap=mobius:desat=0',
    'zscale=t=bt709:m=bt709:r=tv',
    'format=yuv420p',
  ]
}
