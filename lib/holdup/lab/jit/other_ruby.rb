# frozen_string_literal: true

require "open3"

module Holdup
  module Lab
    module Jit
      # A Ruby other than ours that the command is to run with: it comes first on PATH, and nothing of our own
      # Bundler is in its way.
      #
      # - `path`: of the program; `version`; `variables`: what it needs besides, such as BUNDLE_PATH
      OtherRuby = Data.define(:path, :version, :variables) do
        # @param text [String] "/opt/ruby-3.3/bin/ruby" or "/opt/ruby-3.3/bin/ruby,BUNDLE_PATH=vendor/3.3"
        # @return [OtherRuby]
        # @raise [UsageError] it is none
        def self.parse(text)
          path, *pairs = text.split(",")
          variables = pairs.to_h { |pair|
            pair.include?("=") ? pair.split("=", 2) : raise(refusal(text, "#{pair} is no variable"))
          }
          version = told(path.to_s) or raise(refusal(text,
            "it has no YJIT that can be switched on, or doesn't run"))
          new(path: File.expand_path(path), version:, variables:)
        rescue SystemCallError => error
          raise refusal(text, error.message)
        end

        # @param path [String] of a program
        # @return [String, nil] its version; nil: it is no Ruby with a YJIT that Holdup can switch on
        # @raise [SystemCallError] it can't be run
        def self.told(path)
          output, status = Open3.capture2({"RUBYOPT" => nil}, path, "--disable-gems", "-e", self::SCRIPT,
            err: File::NULL)
          output if status.success?
        end

        def self.refusal(text, reason)
          UsageError.new("--ruby can't be #{text[0, 200].inspect} (#{reason})",
            "give the path of a ruby, with variables if need be: /opt/ruby/bin/ruby,BUNDLE_PATH=vendor/other")
        end
        private_class_method :refusal

        # @param env [Hash{String => String}] ours
        # @param root [String] folder of an application
        # @return [Boolean] whether it has the gems that are asked for there; true where there is no Gemfile
        def gems?(env, root: Dir.pwd)
          output, status = Open3.capture2e(env(env), "bundle", "check", chdir: root)
          status.success? || output.include?("Could not locate Gemfile")
        rescue SystemCallError
          false
        end

        # @param env [Hash{String => String}] ours
        # @return [Hash{String => String, nil}]
        def env(env)
          {**self.class::OURS.to_h { |name| [name, nil] }, "PATH" => "#{File.dirname(path)}:#{env["PATH"]}",
                                                           **variables}
        end
      end

      OtherRuby::SCRIPT = "RubyVM::YJIT.respond_to?(:enable) ? print(RUBY_VERSION) : exit(1)"
      # What Bundler sets for our Ruby alone.
      OtherRuby::OURS = %w[RUBYOPT RUBYLIB BUNDLER_SETUP BUNDLER_VERSION BUNDLE_BIN_PATH GEM_HOME
        GEM_PATH].freeze
    end
  end
end
