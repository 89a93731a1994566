/** The part of the library that tests use. */
declare module "indieauth-helper" {
  export default class IndieAuth {
    constructor(options: {
      me: string;
      clientId: string;
      redirectUri: string;
      secret: string;
      codeVerifier: string;
    });
    options: { tokenEndpoint: string };
    getAuthUrl(responseType: "code", scopes: string[]): Promise<string>;
    getToken(code: string): Promise<string>;
  }
}
