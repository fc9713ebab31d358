# frozen_string_literal: true

require_relative "../model/flat_json"
require_relative "../model/utf8"
require_relative "guard"

module Holdup
  # Which revision of the application runs, where `config.revision` does not say it: the first of a variable
  # of a platform, the file REVISION, and Rails itself.
  class DeployedRevision
    # Variables in which platforms put the deployed revision, and who does. The first that is set counts.
    VARIABLES = {
      "GIT_COMMIT" => "Jenkins; by hand",
      "GIT_REVISION" => "by hand",
      "GIT_REV" => "Dokku, Coolify",
      "SOURCE_VERSION" => "Heroku while it builds, Cloud Native Buildpacks",
      "HEROKU_BUILD_COMMIT" => "Heroku, with runtime-dyno-build-metadata",
      "HEROKU_SLUG_COMMIT" => "Heroku, with runtime-dyno-metadata",
      "RENDER_GIT_COMMIT" => "Render",
      "KAMAL_VERSION" => "Kamal",
      "REVISION" => "by hand, as Rails 8.2 reads it",
      "FLY_IMAGE_REF" => "Fly: the tag of the image"
    }.freeze
    # registry.fly.io/storefront:deployment-01JAB...
    IMAGE_TAG = %r{\A\S+/\S+:(?:deployment-)?([^:/\s]+)\z}
    # `Rails.app.revision` of Rails 8.2. It may ask git, so it comes last.
    RAILS = -> { ::Rails.application&.revision if defined?(::Rails.application.revision) }

    def initialize(env:, root:, rails: RAILS)
      @env = env
      @root = root
      @rails = rails
    end

    # @return [String, nil] nil: nothing says it
    def call
      from_variables || from_file || from_rails
    end

    private

    def from_variables
      text = VARIABLES.each_key.lazy.filter_map { |name| named(@env[name]) }.first
      text && (text[IMAGE_TAG, 1] || text)
    end

    def from_file
      file = File.join(@root, "REVISION")
      named(File.read(file, FlatJson::LONGEST_VALUE)) if File.file?(file)
    end

    # The application may have given it a method of its own, which may fail.
    def from_rails
      named(@rails.call)
    rescue *Guard::FAILURES
      nil
    end

    # An empty variable or file says nothing.
    def named(value)
      text = Utf8.valid(value.to_s).strip
      text unless text.empty?
    end
  end
end
