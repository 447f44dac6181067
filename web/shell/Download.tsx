import './Download.css'
import { Button } from '@mantine/core'
import { IconDownload, IconFileSpreadsheet, IconFileText, IconFileTypeCsv } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { mostRows, type FileFormat } from '#contract/file-formats.ts'
import { sentence } from '#web/api/errors.ts'
import { offer } from '#web/ui/download.ts'
import { closeFlyout, Flyout } from '#web/ui/Flyout.tsx'
import { formatNumber } from '#web/ui/format.ts'
import { toast } from '#web/ui/toasts.ts'

export type Downloadable = {
  /** What the file is called, before the day and the ending. */
  name: string
  /** What is in it, where there is a choice. */
  title?: string
  about?: string
  read: (format: FileFormat) => Promise<Blob>
}

const formats = [
  {
    format: 'xlsx',
    title: 'Excel',
    about: `Figures, table and what they mean. Up to ${formatNumber(mostRows.xlsx)} rows.`,
    icon: IconFileSpreadsheet,
  },
  {
    format: 'pdf',
    title: 'PDF',
    about: `To print or send. The first ${formatNumber(mostRows.pdf)} rows.`,
    icon: IconFileText,
  },
  {
    format: 'csv',
    title: 'CSV',
    about: 'The table alone, every row, for other programs.',
    icon: IconFileTypeCsv,
  },
] as const satisfies readonly { format: FileFormat; title: string; about: string; icon: unknown }[]

const nameOf = (name: string, format: FileFormat) =>
  `${name}-${new Date().toISOString().slice(0, 10)}.${format}`

/** What is shown, with its filters, as a file: each of the formats one press away. */
export function Download({ files }: { files: readonly Downloadable[] }) {
  const [isWanted, setWanted] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const id = useId()
  const take = async ({ name, read }: Downloadable, format: FileFormat) => {
    closeFlyout(id)
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
        <Flyout id={id} label="Download">
          {files.map((file) => (
            <FormatList key={file.name} {...file} onTake={(format) => void take(file, format)} />
          ))}
        </Flyout>
      )}
    </div>
  )
}

type ListProps = Pick<Downloadable, 'title' | 'about'> & { onTake: (format: FileFormat) => void }

function FormatList({ title, about, onTake }: ListProps) {
  const id = useId()
  return (
    <section className="download" aria-labelledby={title && id}>
      {title && (
        <header>
          <h2 id={id}>{title}</h2>
          {about && <p>{about}</p>}
        </header>
      )}
      <ul>
        {formats.map(({ format, title: name, about: words, icon: Icon }) => (
          <li key={format}>
            <button type="button" onClick={() => onTake(format)}>
              <Icon size={20} aria-hidden />
              <span>
                <strong>{name}</strong>
                <span>{words}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
