import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useUser } from '#web/session/useSession.ts'
import { isRunning, uploads, type UploadItem } from './uploadStore.ts'

export function useUploads(): readonly UploadItem[] {
  const { id } = useUser()
  useEffect(() => uploads.follow(id), [id])
  return useSyncExternalStore(uploads.subscribe, uploads.read)
}

/** `here`: it is on its way from this browser. `stopped`: this browser has begun it, and it does not go on by itself. */
export type UploadHere = 'here' | 'stopped'

/** By video. The list of uploads tells how far each of these is, so that nothing else on its page does. */
export function useUploadsByVideo(): ReadonlyMap<string, UploadHere> {
  const items = useUploads()
  return useMemo(
    () =>
      new Map(
        items.flatMap((item): [string, UploadHere][] =>
          item.videoId === null
            ? []
            : [[item.videoId, isRunning(item) || item.state === 'paused' ? 'here' : 'stopped']],
        ),
      ),
    [items],
  )
}
