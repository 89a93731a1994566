declare module "micropub-helper" {
  /** Version 1 of the library has no types of its own. */
  export default class Micropub {
    constructor(options: Record<string, string>);
    options: Record<string, string>;
    getEndpointsFromUrl(url: string): Promise<Record<string, string>>;
    verifyToken(): Promise<boolean>;
    create(post: object, type?: "json" | "form" | "multipart"): Promise<string>;
    update(url: string, update: object): Promise<unknown>;
    delete(url: string): Promise<unknown>;
    undelete(url: string): Promise<unknown>;
    // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests are about
    query(name: string): Promise<any>;
    // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests are about
    querySource(url: string | object, properties?: string[]): Promise<any>;
  }
}
