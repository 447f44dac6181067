import { api } from '#contract/api.ts'

const addresses = Object.values(api).map(({ method, path }) => ({
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
  pattern: new RegExp(`^/api${path.replaceAll(/:\w+/g, '[^/]+')}$`),
}))

/** The methods that the contract has at this address, each once; none where nothing answers there. */
export const methodsAt = (address: string): string[] => [
  ...new Set(addresses.filter(({ pattern }) => pattern.test(address)).flatMap(({ methods }) => methods)),
]
