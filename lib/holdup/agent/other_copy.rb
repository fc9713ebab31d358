# frozen_string_literal: true

require_relative "../version"

module Holdup
  # Another copy of Holdup than the one in this process. A server may load one copy before it has the
  # application's bundle, and the bundle may name another: `unicorn` without `bundle exec`, a `require` in
  # Puma's configuration with prune_bundler and a phased restart. Files of two versions don't work together,
  # and Ruby can't unload the first, so such a process measures nothing.
  module OtherCopy
    VERSION_FILE = "version.rb"

    module_function

    # @return [String, nil] the folder from which files of Holdup would be loaded now, if it is another one
    def folder(load_path = $LOAD_PATH)
      root = load_path.find { |path| File.file?(File.join(path, "holdup", VERSION_FILE)) } or return
      folder = File.realpath(File.join(root, "holdup"))
      folder unless folder == FOLDER
    end

    # @param folder [String, nil] of the other copy
    # @return [String, nil] why this process measures nothing; nil when there is no other copy
    def reason(folder = self.folder)
      return unless folder
      "this process has loaded Holdup #{VERSION} (#{FOLDER}), and the application has #{version(folder)} " \
        "(#{folder}). Restart the whole server, with `bundle exec`; for Puma's prune_bundler write " \
        "`plugin :holdup` instead of `require \"holdup\"` into its configuration"
    end

    # The other copy calls it instead of being loaded. Measuring ends, and all methods stay harmless.
    # @return [void]
    def meet(folder)
      Holdup.runtime.give_up(reason(folder))
      require_relative "rails" if defined?(::Rails::Railtie) # `config.holdup` must exist
    end

    def version(folder)
      File.read(File.join(folder, VERSION_FILE))[/^\s*VERSION = "([^"]+)"/, 1]
    rescue SystemCallError
      "another one"
    end
    private_class_method :version
  end
end
