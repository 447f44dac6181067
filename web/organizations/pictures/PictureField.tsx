import { Button } from '@mantine/core'
import { IconPhotoPlus, IconTrash } from '@tabler/icons-react'
import { Suspense, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { picturePath } from '#contract/directory/picture-limits.ts'
import { useBusy } from '#web/api/attempt.ts'
import { Avatar } from '#web/ui/Avatar.tsx'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import classes from './PictureField.module.css'
import shapes from '#web/ui/look/shapes.module.css'

export type PictureKind = 'avatar' | 'logo'

type Props = {
  kind: PictureKind
  label: string
  hint: string
  /** Whose picture it is; the initials stand in for one that is missing. */
  name: string
  picture: string | null
  /** Takes a file in base64; what goes wrong is thrown and shown here. */
  onSave: (data: string) => Promise<unknown>
  onRemove: () => Promise<unknown>
}

const PictureDialog = dialogOnDemand(async () => (await import('./PictureDialog.tsx')).PictureDialog)

/** What the server accepts as well. */
const accept = 'image/png,image/jpeg,image/webp'

/** A picture with what can be done about it. The former one stays until a new one has been saved. */
export function PictureField({ kind, label, hint, name, picture, onSave, onRemove }: Props) {
  const [file, setFile] = useState<File | null>(null)
  const [isRemoving, run] = useBusy()
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const remove = () =>
    run(async () => {
      await onRemove()
      toast.success('The picture was removed.')
      button.current?.focus()
    })
  const save = async (data: string) => {
    await onSave(data)
    toast.success('The picture was saved.')
  }
  return (
    <div
      className={`${shapes.row} ${classes.picture}`}
      role="group"
      aria-labelledby={id}
      aria-describedby={`${id}-hint`}
      data-kind={kind}
    >
      {kind === 'avatar' || !picture ? (
        <Avatar name={name} picture={picture} size={72} />
      ) : (
        <img src={picturePath(picture)} alt={`Logo of ${name}`} width={176} height={80} />
      )}
      <div>
        <strong id={id}>{label}</strong>
        <p id={`${id}-hint`} className={shapes.lead}>
          {hint}
        </p>
        <div className={shapes.row}>
          <FileButton
            ref={button}
            accept={accept}
            variant="default"
            leftSection={<IconPhotoPlus size={16} aria-hidden />}
            onFiles={([chosen]) => setFile(chosen ?? null)}
          >
            {picture ? 'Change picture' : 'Choose picture'}
          </FileButton>
          {picture && (
            <Button
              variant="default"
              type="button"
              loading={isRemoving}
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => void remove()}
            >
              Remove picture
            </Button>
          )}
        </div>
      </div>
      {file && (
        <Suspense>
          <PictureDialog
            kind={kind}
            file={file}
            onSave={save}
            onClose={() => {
              // Nothing outside of a dialog takes the focus while it is open.
              flushSync(() => setFile(null))
              button.current?.focus()
            }}
          />
        </Suspense>
      )}
    </div>
  )
}
