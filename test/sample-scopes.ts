/** The catalogue of section 5.5, so that the sample's matrix has a real one's size: verbs, and the resources that have them. */
const groups: readonly (readonly [verbs: string, resources: string])[] = [
  [
    'create read update delete',
    'actions agents authentication_methods client_credentials client_grants clients connection_profiles connections custom_domains custom_signing_keys directory_provisionings email_provider encryption_keys event_streams experimentation flows flows_vault_connections forms hooks log_streams network_acls organization_connections organization_discovery_domains organizations phone_providers phone_templates rate_limit_policies resource_servers roles rules scim_config self_service_profiles token_exchange_profiles user_attribute_profiles users vdcs_templates organization_clients',
  ],
  ['read update delete', 'branding refresh_tokens rules_configs sessions'],
  [
    'read update',
    'attack_protection client_keys event_deliveries guardian_factors mfa_policies prompts self_service_profile_custom_texts tenant_settings',
  ],
  ['create read update', 'connections_keys email_templates signing_keys'],
  [
    'create read delete',
    'group_roles organization_client_grants organization_group_roles organization_invitations organization_member_roles organization_members role_members scim_token',
  ],
  [
    'read delete',
    'anomaly_blocks current_user device_credentials flows_executions grants groups guardian_enrollments',
  ],
  ['create delete', 'current_user_device_credentials sso_access_tickets'],
  ['create read', 'network_acl_keys'],
  ['create', 'guardian_enrollment_tickets user_tickets'],
  [
    'update',
    'client_token_vault_privileged_access current_user_identities current_user_metadata users_app_metadata',
  ],
  [
    'read',
    'client_summary events group_members logs logs_users organization_groups organization_member_effective_roles organization_member_role_source_groups organizations_summary stats user_effective_permissions user_effective_roles user_idp_tokens user_permission_source_roles user_role_source_groups',
  ],
];

/** Scopes of the sample's catalogue. */
export const sampleScopes: readonly string[] = groups.flatMap(([verbs, resources]) =>
  resources.split(' ').flatMap((resource) => verbs.split(' ').map((verb) => `${verb}:${resource}`)),
);
