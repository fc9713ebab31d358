# frozen_string_literal: true

require "open3"
require "rbconfig"

module Holdup
  module Lab
    # What YJIT does for the user's own server: a sweep whose arms are off, on from Ruby's start, on once the
    # application is loaded, the same with little memory, and other Rubies.
    module Jit
      OFF = {"RUBY_YJIT_ENABLE" => "0", "HOLDUP_JIT" => "off"}.freeze
      AT_BOOT = {"RUBY_YJIT_ENABLE" => "1"}.freeze
      AFTER_BOOT = {"RUBY_YJIT_ENABLE" => "0", "HOLDUP_JIT" => "on"}.freeze
      STATES = {"off" => OFF, "at boot" => AT_BOOT, "after boot" => AFTER_BOOT}.freeze
      # Before 3.4 the code alone was limited, about a third of all.
      LIMITS_ALL = Gem::Version.new("3.4")
      CODE_SHARE = 3

      module_function

      # @param env [Hash{String => String}] the environment
      # @param states [Array<String>] of STATES beside off
      # @param mem_size [Integer, nil] MiB for one more arm
      # @param rubies [Array<OtherRuby>]
      # @return [Array<Arm>] off first
      def arms(env, states: STATES.keys, mem_size: nil, rubies: [])
        wanted = STATES.slice("off", *states)
        limited = mem_size && [Arm.new(label: "after boot, #{mem_size} MiB",
          extra: {**AFTER_BOOT, "RUBYOPT" => limit(env["RUBYOPT"], mem_size)})]
        [*wanted.map { |label, extra| Arm.new(label:, extra:) }, *limited,
          *rubies.flat_map { |ruby| wanted.map { |name, extra| Arm.new(label: "#{name}, Ruby #{ruby.version}", extra: {**extra, **ruby.env(env)}) } }]
      end

      def limit(rubyopt, mem_size, version: RUBY_VERSION)
        all = Gem::Version.new(version) >= LIMITS_ALL
        [rubyopt, "--yjit-disable",
          all ? "--yjit-mem-size=#{mem_size}" : "--yjit-exec-mem-size=#{[mem_size / CODE_SHARE, 1].max}"].compact.join(" ")
      end

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

      # The other Rubies of this machine that could run the command: those that lie beside ours, which is how
      # rbenv, asdf, mise, chruby and ruby-install keep them, and those on PATH. One of each version, the
      # oldest first; it has a YJIT, and the gems of this folder.
      class InstalledRubies
        # @param env [Hash{String => String}] the environment
        # @param ours [String] path of the Ruby that runs now
        def initialize(env, ours: RbConfig.ruby)
          @env = env
          @ours = ours
        end

        # @return [Array<OtherRuby>] at least one
        # @raise [UsageError] there is none, and why
        def call
          raise refusal("there is none beside #{@ours} or on PATH") if others.empty?
          others.select { |ruby| ruby.gems?(@env) }.tap { |usable|
            raise refusal("#{lacking}: `bundle check` fails") if usable.empty?
          }
        end

        private

        def others
          @others ||= paths.filter_map { |path|
            version(path)&.then { |version|
              OtherRuby.new(path:,
                version:, variables: {})
            }
          }
            .reject { |ruby| ruby.version == RUBY_VERSION }.uniq(&:version).sort_by { |ruby|
            Gem::Version.new(ruby.version)
          }
        end

        def paths
          [*beside,
            *@env["PATH"].to_s.split(":").map { |folder|
              File.join(folder,
                "ruby")
            }].select { |path| File.file?(path) && File.executable?(path) }.uniq
        end

        # .../versions/3.4.5/bin/ruby and its neighbours.
        def beside
          Dir[File.expand_path("../../../*/bin/ruby", @ours)].sort
        end

        def version(path)
          OtherRuby.told(path)
        rescue SystemCallError
          nil
        end

        def lacking
          "#{others.map { |ruby| "#{ruby.path} (#{ruby.version})" }.join(", ")} can't run what is in this folder"
        end

        def refusal(reason)
          UsageError.new("--ruby installed finds no other Ruby: #{reason}",
            "give one with what it needs: --ruby /opt/ruby/bin/ruby,BUNDLE_PATH=vendor/other")
        end
      end

      # How `holdup compare --states` finds the arms in a store that got the measurements: by the fingerprint
      # of their setting.
      class States
        # What a shell takes as it is.
        PLAIN = /\A[\w@%+=:,.\/-]+\z/

        # @param result [Sweep::SweepReport]
        def initialize(result)
          @readings = result.plan.rates.flat_map { |rate| result.lines(rate).flat_map(&:readings) }
        end

        # @return [Hash{String => String}] name of an arm => fingerprint of what its servers told, most of
        #   them
        def to_h
          @readings.group_by { |reading| reading.arm.setting.name }
            .transform_values { |own| own.map { |reading| Setting.new(attributes: reading.setting).fingerprint }.tally.max_by(&:last).first }
        end

        # @param store [String] URL or path
        # @return [String] for a shell
        def command(store)
          ["holdup", "compare", "--store", store, "--format", "markdown", "--states",
            *to_h.map { |pair| pair.join("=") }].map { |word| quoted(word) }.join(" ")
        end

        private

        def quoted(word)
          PLAIN.match?(word) ? word : "'#{word.gsub("'") { "'\\''" }}'"
        end
      end
    end
  end
end
