# frozen_string_literal: true

module Holdup
  # The environment of a process that Holdup starts, as changes to its own. This is the one place that knows
  # which variables and options start a JIT, and which variables Bundler sets.
  #
  #   ChildEnvironment.new(ENV).without_jit.with("RUBY_YJIT_ENABLE" => "1").to_h
  #
  # Two JITs at once, or an option of a JIT that the child's Ruby does not have, end the child when it starts.
  # A variable of Bundler that still names another bundle makes Bundler overwrite that bundle's lockfile.
  class ChildEnvironment
    # Variables of YJIT, ZJIT and earlier JITs: RUBY_YJIT_ENABLE, RUBY_ZJIT_ENABLE.
    JIT_VARIABLE = /\ARUBY_[A-Z]*JIT(_|\z)/
    PREFIX = "BUNDLER_ORIG_"
    # What Bundler keeps for a variable that was not set.
    WAS_NOT_SET = "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL"
    # Name a bundle. BUNDLE_LOCKFILE is exported from Bundler 4 on.
    BUNDLE = %w[BUNDLE_GEMFILE BUNDLE_LOCKFILE].freeze
    # Only Bundler sets these, so without it they are not set. Its settings (BUNDLE_PATH, BUNDLE_WITHOUT ...)
    # are the user's, and stay.
    BUNDLERS_OWN = %w[BUNDLE_BIN_PATH BUNDLER_SETUP BUNDLER_VERSION].freeze
    # Bundler changes these and keeps what the user had.
    CHANGED_BY_BUNDLER = %w[GEM_HOME GEM_PATH MANPATH RB_USER_INSTALL].freeze
    # All that Bundler exports to child processes, the search paths aside: the list for scripts and tests.
    OF_BUNDLER = [*BUNDLE, *BUNDLERS_OWN].freeze

    # @param env [#to_h] of this process
    def initialize(env, changes = {})
      @env = env.to_h
      @changes = changes
    end

    # @return [Hash{String => String, nil}] for Process.spawn: nil unsets a variable
    def to_h = @changes

    # @return [ChildEnvironment] in which these are set, too
    def with(changes)
      self.class.new(@env, {**@changes, **changes})
    end

    # @return [ChildEnvironment] with no variable and no option that switches a JIT on or off, or sets it up
    def without_jit
      variables = names.grep(JIT_VARIABLE)
      with(unset(variables)).with_switches(&:without_jit)
    end

    # @return [ChildEnvironment] without what `holdup exec` loads into every Ruby that it starts
    def without_measuring
      with_switches { |switches| switches.without_library(RubySwitches::EXEC_BOOT) }
    end

    # @return [ChildEnvironment] as it was before `bundle exec` or bundler/setup; a BUNDLE_GEMFILE of the user
    #   counts again
    def without_bundle
      originals = [*BUNDLE, *CHANGED_BY_BUNDLER].filter_map { |name| original(name) }
      kept = names.grep(/\A#{PREFIX}/o)
      environment = with({**unset([*BUNDLERS_OWN, *kept]), **originals.to_h, **library_path})
      environment = environment.with(unset(BUNDLE)) if active? && originals.empty?
      environment = environment.with("BUNDLE_LOCKFILE" => nil) unless originals.to_h.key?("BUNDLE_LOCKFILE")
      environment.with_switches(&:without_bundler)
    end

    # @param gemfile [String, nil] of the other bundle; nil: no bundle at all
    # @return [ChildEnvironment] with nothing that names this process's bundle
    def other_bundle(gemfile)
      without_bundle.with(unset(BUNDLE)).with("BUNDLE_GEMFILE" => gemfile)
    end

    # @return [Boolean] whether a Ruby loads the bundle when it starts
    def bundled? = RubySwitches.parse(value("RUBYOPT")).bundler?

    # @yieldparam switches [RubySwitches] of RUBYOPT
    # @yieldreturn [RubySwitches]
    # @return [ChildEnvironment]
    def with_switches
      given = RubySwitches.parse(value("RUBYOPT"))
      left = yield given
      return self if left == given
      with("RUBYOPT" => left.groups.empty? ? nil : left.to_s)
    end

    private

    def names = (@env.keys | @changes.keys)

    def value(name) = @changes.fetch(name) { @env[name] }

    def unset(names) = names.to_h { |name| [name, nil] }

    # @return [Array(String, String), nil] what the user had, nil if Bundler kept nothing
    def original(name)
      kept = value("#{PREFIX}#{name}")
      kept && [name, (kept unless kept == WAS_NOT_SET)]
    end

    # An inactive Bundler has set nothing: BUNDLE_GEMFILE is the user's own then.
    def active?
      BUNDLERS_OWN.any? { |name| value(name) } || bundled?
    end

    # Bundler puts the folder of its own library into RUBYLIB.
    def library_path
      text = value("RUBYLIB") or return {}
      own = value("BUNDLER_SETUP")&.then { |setup| File.expand_path("../..", setup) }
      left = text.split(File::PATH_SEPARATOR).reject do |folder|
        folder == own || File.file?(File.join(folder, "bundler/setup.rb"))
      end
      {"RUBYLIB" => left.empty? ? nil : left.join(File::PATH_SEPARATOR)}
    end

    # Switches of RUBYOPT, as Ruby reads it: words between white space; quotes have no meaning there. A switch
    # may be given without its dash, and some take the next word as their value.
    #
    # - `groups`: Array of words, each a switch and perhaps its value
    RubySwitches = Data.define(:groups) do
      # @param text [String, nil]
      def self.parse(text)
        words = text.to_s.b.split
        groups = []
        while (word = words.shift)
          takes = self::WITH_VALUE.match?(word.start_with?("-") ? word : "-#{word}")
          groups << (takes ? [word, words.shift].compact : [word])
        end
        new(groups:)
      end

      def to_s = groups.flatten.join(" ").force_encoding(Encoding.default_external)

      # @return [RubySwitches] with neither a JIT's options nor its features
      def without_jit
        left = groups.filter_map do |group|
          next if self.class::JIT.match?(group.first)
          self.class::FEATURES.match?(group.first) ? without_jit_features(group) : group
        end
        with(groups: left)
      end

      def without_bundler
        without_library(self.class::BUNDLER)
      end

      def bundler? = without_bundler != self

      # @param pattern [Regexp] of what -r loads
      def without_library(pattern)
        with(groups: groups.reject { |group| pattern.match?(library(group).to_s) })
      end

      # @return [Array<String>] options of a JIT; for a feature, the option that does the same
      def of_jit
        groups.flat_map do |group|
          next [group.first] if self.class::JIT.match?(group.first)
          features(group).grep(self.class::JIT_FEATURE).map { |name| enabling(group, name) }
        end
      end

      private

      # @return [String, nil] what it loads
      def library(group)
        switch, value = group
        match = self.class::LOADING.match(switch) or return
        match[:name].empty? ? value : match[:name]
      end

      def features(group)
        switch, value = group
        match = self.class::FEATURES.match(switch) or return []
        (match[:names] || value).to_s.split(",")
      end

      def enabling(group, name)
        kind = name[0].downcase
        option = "--#{kind unless kind == "j"}jit"
        group.first.start_with?("--disable") ? "#{option}-disable" : option
      end

      def without_jit_features(group)
        left = features(group).grep_v(self.class::JIT_FEATURE)
        # It switches on the JIT, too.
        left -= ["all"] if group.first.start_with?("--enable")
        left.empty? ? nil : ["#{group.first[/\A--(?:en|dis)able/]}=#{left.join(",")}"]
      end
    end

    # --jit, --yjit, --zjit-mem-size=64, --rjit-stats ...
    RubySwitches::JIT = /\A--[a-z]?jit(?:[-=]|\z)/
    # --enable=yjit,frozen-string-literal, --enable-yjit and --enable yjit mean the same. A feature's name may
    # be cut short as long as it is clear.
    RubySwitches::FEATURES = /\A--(?:en|dis)able(?:[=-](?<names>.*))?\z/m
    RubySwitches::JIT_FEATURE = /\A(?:[ryz]|[a-z]?j|[a-z]?ji|[a-z]?jit)\z/i
    # -rset, -r set and -wrset mean the same.
    RubySwitches::LOADING = /\A-?(?:[dvwU]|W[0-2]?)*r(?<name>.*)\z/m
    RubySwitches::BUNDLER = %r{(?:\A|/)bundler/setup(?:\.rb)?\z}
    RubySwitches::EXEC_BOOT = %r{(?:\A|/)holdup/agent/exec_boot(?:\.rb)?\z}
    RubySwitches::WITH_VALUE =
      /\A(?:-(?:[dvwU]|W[0-2]?)*[rIE]|--(?:(?:en|dis)able|(?:(?:ex|in)ternal-)?encoding|parser))\z/
  end
end
