import { Suspense } from 'react'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { useUploads } from './useUploads.ts'

const UploadList = onDemand(async () => (await import('./UploadList.tsx')).UploadList)

/** How far each upload of this browser is, where there are some. */
export function Uploads() {
  if (useUploads().length === 0) return null
  return (
    <Suspense>
      <UploadList />
    </Suspense>
  )
}
