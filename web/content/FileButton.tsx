import { Button } from '@mantine/core'
import { useRef, type ReactNode } from 'react'

type Props = {
  children: ReactNode
  onFiles: (files: File[]) => void
  isMultiple?: boolean
  variant?: 'filled' | 'default'
  icon?: ReactNode
  /** What the page is for, so that a key can press it. */
  isCreation?: boolean
}

/** A button that opens the device's choice of video files. */
export function FileButton({ children, onFiles, isMultiple = false, ...look }: Props) {
  const { variant = 'filled', icon, isCreation } = look
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="video/*,.mkv,.mts,.m2ts,.avi,.wmv,.flv,.webm"
        multiple={isMultiple}
        hidden
        onChange={(event) => {
          const { files } = event.currentTarget
          if (files && files.length > 0) onFiles([...files])
          // So that choosing the same file again is a change again.
          event.currentTarget.value = ''
        }}
      />
      <Button
        variant={variant}
        leftSection={icon}
        data-create={isCreation}
        onClick={() => input.current?.click()}
      >
        {children}
      </Button>
    </>
  )
}
