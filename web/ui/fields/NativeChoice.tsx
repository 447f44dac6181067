import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'

/** The device's own list to choose from; needs no further styles. */
export function NativeChoice(props: NativeSelectProps) {
  return <NativeSelect {...props} rightSection={<IconSelector size={16} aria-hidden />} />
}
