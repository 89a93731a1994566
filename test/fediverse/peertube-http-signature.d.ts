declare module "@peertube/http-signature" {
  interface ParsedSignature {
    keyId: string;
  }
  export function parseRequest(request: object, options: { clockSkew: number }): ParsedSignature;
  export function verifySignature(parsed: ParsedSignature, publicPem: string): boolean;
}
