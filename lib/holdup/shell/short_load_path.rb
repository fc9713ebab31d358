# frozen_string_literal: true

module Holdup
  # Bundler puts the folders of all gems of an application before those of Ruby's own library, so that each
  # `require` of a command looks into hundreds of them. A command needs few of these gems: the folders of the
  # others come last here. None is left out, because the client of a store may be in one of them.
  module ShortLoadPath
    class << self
      # @param path [Array<String>] is sorted anew
      # @param specs [Hash{String => Gem::Specification}] of the gems that can be loaded, by name
      # @param defaults [String] folder of the specifications of Ruby's own gems
      def use(path: $LOAD_PATH, specs: Gem.loaded_specs, defaults: Gem.default_specifications_dir)
        # Of a gem that Ruby's own library has too, the bundle's version still comes first.
        first = with_dependencies("holdup", specs, own_gems(defaults))
        others = specs.except(*first.keys).values
        folders = others.flat_map(&:full_require_paths).to_h { |folder| [folder, true] }
        last, front = path.partition { |folder| folders.key?(folder) }
        path.replace(front + last)
      rescue SystemCallError # a Ruby without gems of its own
        nil
      end

      private

      # @return [Hash{String => Symbol}] `found`, with this gem and all that it depends on
      def with_dependencies(name, specs, found)
        return found if found[name] == :seen || !specs.key?(name)
        found[name] = :seen
        specs[name].runtime_dependencies.each { |needed| with_dependencies(needed.name, specs, found) }
        found
      end

      def own_gems(folder) = Dir.children(folder).to_h { |file| [file[/\A(.*)-\d/, 1], :own] }
    end
  end
end
