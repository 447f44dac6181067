type Machine = { number: number; page: number; code: (tell: 'failure' | 'name') => Buffer }

/** What the two functions are made of: one answers that no driver fits, the other one gives that one for every name. */
const machines: Record<'x64' | 'arm64', Machine> = {
  x64: {
    number: 62,
    page: 0x1000,
    code: (tell) => Buffer.from(tell === 'failure' ? 'b8f7ffffffc3' : '488d05e9ffffffc3', 'hex'),
  },
  arm64: {
    number: 183,
    page: 0x1_0000,
    code: (tell) => Buffer.from(tell === 'failure' ? '00018012c0035fd6' : '80ffff10c0035fd6', 'hex'),
  },
}

const name = 'libvulkan.so.1'
const symbol = 'vkGetInstanceProcAddr'

/**
 * A library for Linux that stands in the place of the one for graphics cards, and says that there is none: the C of it would be
 * `int none(void) { return VK_ERROR_INCOMPATIBLE_DRIVER; }` and `void *vkGetInstanceProcAddr(void *a, char *b) { return none; }`.
 */
export function noVulkan(arch: keyof typeof machines): Buffer {
  const { number, page, code } = machines[arch]
  const strings = Buffer.from(`\0${symbol}\0${name}\0`)
  const [hashAt, symbolsAt, stringsAt] = [0x140, 0x160, 0x1a0]
  const [failureAt, codeAt] = [0x200, 0x210]
  const file = Buffer.alloc(page + 7 * 16)
  const words = (at: number, size: 2 | 4 | 8, ...values: number[]) => {
    for (const [index, value] of values.entries())
      if (size === 8) file.writeBigUInt64LE(BigInt(value), at + index * 8)
      else file.writeUIntLE(value, at + index * size, size)
  }
  // The head: 64 bits, lowest byte first, a library for this machine, with four segments behind the head.
  Buffer.from('7f454c46020101', 'hex').copy(file)
  words(16, 2, 3, number)
  words(20, 4, 1)
  words(24, 8, 0, 64, 0)
  words(52, 2, 64, 56, 4, 0, 0, 0)
  const segment = (
    index: number,
    [type, flags, at, size, align]: [number, number, number, number, number],
  ) => {
    words(64 + index * 56, 4, type, flags)
    words(64 + index * 56 + 8, 8, at, at, at, size, size, align)
  }
  const [load, dynamic, stack] = [1, 2, 0x64_74_e5_51]
  segment(0, [load, 5, 0, codeAt + 8, page])
  segment(1, [load, 6, page, 7 * 16, page])
  segment(2, [dynamic, 6, page, 7 * 16, 8])
  // Nothing of the stack is a program.
  segment(3, [stack, 6, 0, 0, 16])
  // One bucket of names, with one name in it.
  words(hashAt, 4, 1, 2, 1, 0, 0)
  words(symbolsAt + 24, 4, 1)
  words(symbolsAt + 28, 2, 0x12, 1)
  words(symbolsAt + 32, 8, codeAt, 8)
  strings.copy(file, stringsAt)
  code('failure').copy(file, failureAt)
  code('name').copy(file, codeAt)
  const tags = { soname: 14, hash: 4, strings: 5, symbols: 6, stringsSize: 10, symbolSize: 11 }
  const told = [
    [tags.soname, 2 + symbol.length],
    [tags.hash, hashAt],
    [tags.strings, stringsAt],
    [tags.symbols, symbolsAt],
    [tags.stringsSize, strings.length],
    [tags.symbolSize, 24],
    [0, 0],
  ]
  words(page, 8, ...told.flat())
  return file
}
