import type { DnsRecord } from '#contract/identity/mail-signing.ts'
import { CopyButton } from '#web/ui/CopyButton.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import shapes from '#web/ui/look/shapes.module.css'

/** A line for the DNS, to be copied into the page of whoever keeps the domain: they ask for name and value apart. */
export function DnsRecordText({ record: { name, value } }: { record: DnsRecord }) {
  return (
    <>
      <Facts
        facts={[
          { label: 'Type', value: 'TXT' },
          { label: 'Name', value: name },
          { label: 'Value', value: <code>{value}</code> },
        ]}
      />
      <div className={shapes.row}>
        <CopyButton text={name} label="Copy the name" />
        <CopyButton text={value} label="Copy the value" />
      </div>
    </>
  )
}
