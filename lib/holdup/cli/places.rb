# frozen_string_literal: true

module Holdup
  class CLI
    # Default locations: the same rules as inside the application, from the same table.
    module Places
      module_function

      # @return [String] folder of the segments
      def directory(env, given = nil)
        given ? Utf8.of(File.expand_path(given)) : Configuration.build(env:).segment_dir
      end

      # @return [String, nil] URL or path of the store in the option or environment
      def named_store(env, given = nil)
        given || Configuration.build(env:).store
      end

      # @return [String] the same, else the default
      def store(env, given = nil)
        named_store(env, given) || Store.default_url(env, home: env["HOME"] || Dir.home)
      end

      # @return [String] folder of the captures: next to the store where that is a file
      def captures(env, given = nil)
        Store.captures_dir(store(env, given), env, home: env["HOME"] || Dir.home)
      end

      # @return [String] "ja" for a Japanese locale, else "en"
      def language(env)
        locale = env.values_at("LC_ALL", "LC_MESSAGES", "LANG").compact.reject(&:empty?).first
        locale.to_s.start_with?("ja") ? "ja" : "en"
      end

      # Opens the store to read, and closes it.
      # @param origin [Queries::Origin] reads only what came from there
      # @yield [store]
      # @raise [UsageError] the store has no such application, host, role or revision
      def reading(env, given, origin: Queries::Origin.new)
        opened(env, given, read_only: true) { |store| yield origin.of(store) }
      end

      # Opens the store to write, and closes it.
      # @yield [store]
      def writing(env, given, &) = opened(env, given, read_only: false, &)

      def opened(env, given, **mode)
        url = store(env, given)
        store = Store.open(url, **mode)
        yield store
      ensure
        store&.close
      end
      private_class_method :opened
    end
  end
end
