import { useEffect, useSyncExternalStore } from 'react'
import { useUser } from '#web/session/useSession.ts'
import { uploads, type UploadItem } from './uploadStore.ts'

export function useUploads(): readonly UploadItem[] {
  const { id } = useUser()
  useEffect(() => uploads.follow(id), [id])
  return useSyncExternalStore(uploads.subscribe, uploads.read)
}
