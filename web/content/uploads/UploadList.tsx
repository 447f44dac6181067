import { Button } from '@mantine/core'
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { rememberPlace } from '#web/ui/browser/focus.ts'
import { formatBytes, formatDuration, formatShare, plural } from '#web/ui/format.ts'
import { IconButton } from '#web/ui/IconButton.tsx'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { Progress } from './Progress.tsx'
import { cancel, continueWith, pause, resume, videoFiles } from './uploading.ts'
import { uploads, type UploadItem } from './uploadStore.ts'
import { useUploads } from './useUploads.ts'
import { tipStop } from '#web/ui/overlays/tips.ts'
import two from '#web/ui/look/twoLines.module.css'
import classes from './UploadList.module.css'
import shapes from '#web/ui/look/shapes.module.css'

/** Uploads of this browser: those under way, and those that a reload has interrupted. */
export function UploadList() {
  const items = useUploads()
  const [leaving, setLeaving] = useState<UploadItem | null>(null)
  const goBack = useRef<(() => void) | null>(null)
  const interrupted = items.filter(({ state }) => state === 'interrupted').length
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${classes.uploads}`}
      aria-labelledby="uploads-title"
    >
      <h2 id="uploads-title">{plural(items.length, 'upload')}</h2>
      {interrupted > 0 && (
        <p className={shapes.lead}>
          {interrupted === 1 ? 'One upload was' : `${interrupted} uploads were`} interrupted. Choose the same
          file again: it goes on where it was.
        </p>
      )}
      <ul>
        {items.map((item) => (
          <Row
            key={item.key}
            item={item}
            onCancel={(button) => {
              goBack.current = rememberPlace(button)
              setLeaving(item)
            }}
          />
        ))}
      </ul>
      <ConfirmDialog
        isOpen={leaving !== null}
        title={`Cancel the upload of “${leaving?.title ?? ''}”?`}
        confirmLabel="Cancel upload"
        onConfirm={async () => {
          if (leaving) await cancel(leaving)
          requestAnimationFrame(() => goBack.current?.())
        }}
        onClose={() => setLeaving(null)}
      >
        What has been sent so far is removed. The file on your computer stays.
      </ConfirmDialog>
    </section>
  )
}

function Row({ item, onCancel }: { item: UploadItem; onCancel: (button: Element) => void }) {
  const { title, sent, size, state } = item
  return (
    <li data-state={state}>
      <div className={two.lines}>
        <strong {...tipStop(item.fileName)}>{title}</strong>
        <span>{stateLine(item)}</span>
      </div>
      <Progress
        name={`Upload of ${title}`}
        share={size === 0 ? 0 : sent / size}
        isIdle={state !== 'sending'}
      />
      <div className={`${shapes.row} ${classes.actions}`}>
        <Actions item={item} />
        <IconButton
          tone="quiet"
          size={36}
          icon={IconX}
          label={`Cancel the upload of ${title}`}
          title="Cancel upload"
          onClick={({ currentTarget }) =>
            item.videoId === null ? uploads.remove(item.key) : onCancel(currentTarget)
          }
        />
      </div>
    </li>
  )
}

function Actions({ item }: { item: UploadItem }) {
  const { key, title, state } = item
  if (state === 'interrupted')
    return (
      <FileButton
        accept={videoFiles}
        variant="default"
        onFiles={([file]) => void (file && continueWith(item, file))}
      >
        Choose file again
      </FileButton>
    )
  if (state === 'failed')
    return (
      <Button variant="default" onClick={() => resume(key)}>
        Resume
      </Button>
    )
  if (state === 'queued' || state === 'refused') return null
  const isPaused = state === 'paused'
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause
  const label = isPaused ? 'Resume' : 'Pause'
  return (
    <IconButton
      tone="quiet"
      size={36}
      icon={Icon}
      label={`${label} the upload of ${title}`}
      title={`${label} upload`}
      onClick={() => (isPaused ? resume(key) : pause(key))}
    />
  )
}

function stateLine({ state, sent, size, bytesPerSecond, problem }: UploadItem): string {
  const amount = `${formatBytes(sent)} of ${formatBytes(size)}`
  switch (state) {
    case 'queued':
      return `${formatBytes(size)} · waits for its turn`
    case 'sending':
      return [formatShare(size === 0 ? 0 : sent / size), amount, ...pace(size - sent, bytesPerSecond)].join(
        ' · ',
      )
    case 'retrying':
      return problem === null
        ? `${amount} · no connection; goes on by itself`
        : `${amount} · the disk of the server is full; goes on by itself when there is room`
    case 'paused':
      return `${amount} · paused`
    case 'interrupted':
      return `${amount} · interrupted`
    case 'failed':
    case 'refused':
      return problem ?? 'The upload did not work.'
  }
}

function pace(left: number, bytesPerSecond: number): string[] {
  if (bytesPerSecond <= 0) return []
  return [`${formatBytes(bytesPerSecond)}/s`, `${formatDuration((left / bytesPerSecond) * 1_000)} left`]
}
