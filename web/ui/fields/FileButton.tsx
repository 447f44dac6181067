import { Button, type ButtonProps } from '@mantine/core'
import { useRef, type ReactNode, type Ref } from 'react'

type Props = ButtonProps & {
  /** What the device offers to choose from. */
  accept: string
  onFiles: (files: File[]) => void
  isMultiple?: boolean
  children: ReactNode
  ref?: Ref<HTMLButtonElement>
  /** What the page is for, so that a key can press it. */
  'data-create'?: boolean
}

/** A button that opens the device's choice of files. */
export function FileButton({ accept, onFiles, isMultiple = false, ...button }: Props) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={isMultiple}
        hidden
        onChange={({ currentTarget }) => {
          const { files } = currentTarget
          if (files && files.length > 0) onFiles([...files])
          // So that choosing the same file again is a change again.
          currentTarget.value = ''
        }}
      />
      <Button {...button} onClick={() => input.current?.click()} />
    </>
  )
}
