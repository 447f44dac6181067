import { IconDownload } from '@tabler/icons-react'
import type { FileFormat } from '#contract/platform/file-formats.ts'
import { useBusy } from '#web/api/attempt.ts'
import { offerDated } from '#web/ui/browser/download.ts'
import { Flyout, FlyoutButton } from '#web/ui/overlays/Flyout.tsx'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import shapes from '#web/ui/look/shapes.module.css'

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

export const DownloadPanel = onDemand(async () => (await import('./DownloadPanel.tsx')).DownloadPanel)

/** What is shown, with its filters, as a file: each of the formats one press away. */
export function Download({ files }: { files: readonly Downloadable[] }) {
  const [isBusy, run] = useBusy()
  const take = async ({ name, read }: Downloadable, format: FileFormat) => {
    if (isBusy) return
    await run(async () => offerDated(await read(format), name, format))
  }
  return (
    <>
      <FlyoutButton
        icon={<IconDownload size={16} aria-hidden />}
        label={isBusy ? 'Preparing…' : 'Download'}
        isBusy={isBusy}
      >
        {(id) => (
          <Flyout id={id} label="Download">
            <DownloadPanel id={id} files={files} onTake={(file, format) => void take(file, format)} />
          </Flyout>
        )}
      </FlyoutButton>
      <span role="status" className={shapes.sr}>
        {isBusy && 'The file is being made'}
      </span>
    </>
  )
}
