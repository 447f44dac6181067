import { IconMail } from '@tabler/icons-react'
import type { Reply } from '#contract/endpoint.ts'
import type { previewMail } from '#contract/mail-preview.ts'
import { sentence } from '#web/api/errors.ts'
import columns from '#web/ui/columns.module.css'
import { Facts } from '#web/ui/Field.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import type { Draft } from './draft.ts'
import { useMailPreview } from './usePreview.ts'
import classes from './MailPreview.module.css'
import shapes from '#web/ui/shapes.module.css'

/** Pictures at this page's own address: it may show no others, and the console need not be opened at the one that mails name. */
const fromHere = (html: string) => html.replaceAll(/src="[^"]*(?=\/(?:m|api\/pictures)\/)/g, 'src="')

/** The mail itself, drawn by the server as recipients will get it. Of its own origin for the sake of its picture; no script runs in it. */
export function Mail({ from, subject, html }: Reply<typeof previewMail>) {
  return (
    <>
      <Facts
        facts={[
          { label: 'From', value: from },
          { label: 'Subject', value: subject },
        ]}
      />
      <iframe title="The mail" srcDoc={fromHere(html)} sandbox="allow-same-origin" tabIndex={-1} />
    </>
  )
}

/** As it will look with what is in the composer. */
export function MailPreview({ draft }: { draft: Draft }) {
  const { data, error } = useMailPreview(draft)
  return (
    <section className={`${shapes.stack} ${columns['stays']}`} aria-labelledby="preview">
      <h2 id="preview">Preview of the mail</h2>
      <div className={`${shapes.card} ${classes['mail']}`}>
        {error && (
          <p role="alert" className={shapes.missing}>
            {sentence(error)}
          </p>
        )}
        {!data && !error && (
          <EmptyState title="The mail appears here" icon={<IconMail size={24} />}>
            As soon as a video is chosen, you see what its recipients get.
          </EmptyState>
        )}
        {data && <Mail {...data} />}
      </div>
    </section>
  )
}
