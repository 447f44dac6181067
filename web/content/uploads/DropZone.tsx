import { IconUpload } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useFileDrop } from '#web/ui/fields/useFileDrop.ts'
import classes from './DropZone.module.css'

type Props = {
  /** Undefined where nothing may be dropped; `refusal` then says why. */
  onFiles: ((files: File[]) => void) | undefined
  refusal: string
  children: ReactNode
}

const nothing = () => undefined

/** The whole page takes files that are dropped on it. */
export function DropZone({ onFiles, refusal, children }: Props) {
  const isOver = useFileDrop(onFiles ?? nothing)
  return (
    <>
      {children}
      {isOver && (
        <div className={classes.drop} aria-hidden>
          <div>
            <IconUpload size={32} />
            <strong>{onFiles ? 'Drop the videos to upload them' : refusal}</strong>
          </div>
        </div>
      )}
    </>
  )
}
