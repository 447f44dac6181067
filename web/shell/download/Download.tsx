import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { Suspense, useId, useState } from 'react'
import type { FileFormat } from '#contract/file-formats.ts'
import { sentence } from '#web/api/errors.ts'
import { offer } from '#web/ui/download.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import { toast } from '#web/ui/toasts.ts'

export type Downloadable = {
  /** What the file is called, before the day and the ending. */
  name: string
  /** What is in it, where there is a choice. */
  title?: string
  about?: string
  /** What it holds beyond what is on the screen. */
  note?: string | undefined
  read: (format: FileFormat) => Promise<Blob>
}

const DownloadPanel = onDemand(async () => (await import('./DownloadPanel.tsx')).DownloadPanel)

const nameOf = (name: string, format: FileFormat) =>
  `${name}-${new Date().toISOString().slice(0, 10)}.${format}`

/** What is shown, with its filters, as a file: each of the formats one press away. */
export function Download({ files }: { files: readonly Downloadable[] }) {
  const [isWanted, setWanted] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const id = useId()
  const take = async ({ name, read }: Downloadable, format: FileFormat) => {
    if (isBusy) return
    setBusy(true)
    try {
      offer(await read(format), nameOf(name, format))
    } catch (error) {
      toast.failure(sentence(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div>
      <Button
        variant="default"
        aria-haspopup="dialog"
        aria-busy={isBusy}
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => setWanted(true)}
        // From the second press on the browser itself opens and closes it.
        {...(isWanted ? { popoverTarget: id } : {})}
      >
        {isBusy ? 'Preparing…' : 'Download'}
      </Button>
      <span role="status" className="ui-sr">
        {isBusy && 'The file is being made'}
      </span>
      {isWanted && (
        <Suspense>
          <DownloadPanel id={id} files={files} onTake={(file, format) => void take(file, format)} />
        </Suspense>
      )}
    </div>
  )
}
