# frozen_string_literal: true

require "rbconfig"
require_relative "working_folder"

module Holdup
  # Which code is the application's: not that of gems, of Ruby's own library and of Holdup. Each folder has a
  # slash at its end.
  module ApplicationCode
    # All that the in-app half loads is below it.
    OURS = File.expand_path("../..", __dir__)
    private_constant :OURS

    module_function

    # @return [String] the application's folder
    def root = slashed(WorkingFolder.path)

    # @return [Array<String>] folders of others' code
    def foreign
      gems = defined?(Gem) ? Gem.path.flat_map { |path| ["#{path}/gems", "#{path}/bundler/gems"] } : []
      ruby = RbConfig::CONFIG.values_at("rubylibdir", "sitedir", "vendordir").compact
      [*gems, *ruby, OURS].select { |path| File.directory?(path) }
        .map { |path| slashed(File.realpath(path)) }.uniq
    end

    # @return [String] Holdup's own folder
    def ours = slashed(File.realpath(OURS))

    def slashed(path) = "#{path.chomp("/")}/"
    private_class_method :slashed
  end
end
