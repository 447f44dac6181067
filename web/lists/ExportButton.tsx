import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import type { Input } from '#web/api/client.ts'
import { useExport } from './useExport.ts'
import { tip } from '#web/ui/tips.ts'

type Props<E extends EndpointDefinition> = {
  /** Fetched when somebody presses the button. */
  endpoint: () => Promise<E>
  input: Input<E>
  /** What the file is called, before its date. */
  what: string
  /** What the button says of the file. */
  title: string
}

/** All that the filters find, in the order of the list, as a file for a spreadsheet. */
export function ExportButton<E extends EndpointDefinition>({ endpoint, input, what, title }: Props<E>) {
  const [isBusy, save] = useExport(endpoint, what)
  return (
    <Button
      variant="default"
      loading={isBusy}
      leftSection={<IconDownload size={16} aria-hidden />}
      {...tip(title)}
      onClick={() => void save(input)}
    >
      Export CSV
    </Button>
  )
}
