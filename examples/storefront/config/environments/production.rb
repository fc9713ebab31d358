# frozen_string_literal: true

Rails.application.configure do
  config.enable_reloading = false
  config.eager_load = true
  config.consider_all_requests_local = false
  config.cache_store = :null_store
  config.yjit = ENV["STOREFRONT_YJIT"] != "0" # the lab decides by itself
  config.active_record.dump_schema_after_migration = false
  config.active_support.report_deprecations = false
end
