import columns from '#web/ui/columns.module.css'
import { OutboxNote } from '#web/layout/OutboxNote.tsx'
import { MailReports } from './MailReports.tsx'
import { MailReturns } from './MailReturns.tsx'

/** How the installation learns what became of a mail after a mail server took it: told by a provider, or read in a mailbox. */
export function Returns() {
  return (
    <>
      <OutboxNote />
      <div className={columns.even}>
        <MailReturns />
        <MailReports />
      </div>
    </>
  )
}
