import { fstatSync, readSync } from 'node:fs'
import { lookAtHead, type Demuxer } from '#contract/videos/video-head.ts'
import { NotAVideoError } from './refusals.ts'

/** `isCut`: the file is shorter than it says itself. */
export type Container = { demuxer: Demuxer; isCut: boolean }

/** Says what an open file is. Throws NotAVideoError for what is not taken. */
export function recognise(fd: number): Container {
  const { size } = fstatSync(fd)
  const found = lookAtHead({ size, read: (at, length) => readAt(fd, at, Math.min(length, size - at)) })
  if ('refusal' in found) throw new NotAVideoError(found.refusal)
  return found
}

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, length))
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, at))
}
