import { IconUpload } from '@tabler/icons-react'
import { useEffect, useState, type ReactNode } from 'react'

type Props = {
  /** Undefined where nothing may be dropped; `refusal` then says why. */
  onFiles: ((files: File[]) => void) | undefined
  refusal: string
  children: ReactNode
}

/** The whole page takes files that are dropped on it. */
export function DropZone({ onFiles, refusal, children }: Props) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      event.preventDefault()
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length > 0) onFiles?.(files)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [onFiles])
  return (
    <>
      {children}
      {isOver && (
        <div className="videos-drop" aria-hidden>
          <div>
            <IconUpload size={32} />
            <strong>{onFiles ? 'Drop the videos to upload them' : refusal}</strong>
          </div>
        </div>
      )}
    </>
  )
}
